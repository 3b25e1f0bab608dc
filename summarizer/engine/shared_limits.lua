-- One round of one holder (a worker process) with the limits of one endpoint: it says how many places it holds, how many
-- requests it has that were given a slot, what it learned, and which requests want one; it gets as many slots and places
-- as there are. A request leaves when its holder has a place for it. All times are milliseconds of Redis's own clock.
-- Says absolute figures only, so a round whose answer was lost does no harm.

local in_flight_key, leases_key, waiting_key, served_key, sent_key, state_key = unpack(KEYS)
local ask = cjson.decode(ARGV[1])
local me = ask.holder
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function number(key, field)
  return tonumber(redis.call('HGET', key, field) or 0)
end

-- A holder that has given no sign of life for the length of a lease loses its places.
for _, holder in ipairs(redis.call('ZRANGEBYSCORE', leases_key, '-inf', now)) do
  redis.call('ZREM', leases_key, holder)
  redis.call('HDEL', in_flight_key, holder)
  redis.call('HDEL', waiting_key, holder)
  redis.call('HDEL', served_key, holder)
end

-- Redis was emptied under a holder that knew it before: what others hold and what left in the last minute is not known.
-- Nothing more leaves until all that live have said what they hold, and until the minute is over where it is limited.
local epoch = redis.call('HGET', state_key, 'epoch')
if not epoch then
  epoch = time[1] .. '.' .. time[2]
  redis.call('HSET', state_key, 'epoch', epoch)
end
local settled_at = number(state_key, 'settled_at')
if ask.epoch ~= '' and ask.epoch ~= epoch then
  local is_minute = ask.requests > 0 or ask.tokens > 0
  settled_at = math.max(settled_at, now + (is_minute and ask.window or 0), now + ask.settling)
  redis.call('HSET', state_key, 'settled_at', settled_at)
end

local mine, admitted = ask.places, ask.admitted
local all = mine
local others = {}
local in_flight = redis.call('HGETALL', in_flight_key)
for i = 1, #in_flight, 2 do
  if in_flight[i] ~= me then
    all = all + in_flight[i + 1]
    others[in_flight[i]] = tonumber(in_flight[i + 1])
  end
end

local requests, tokens = number(state_key, 'requests'), number(state_key, 'tokens')

-- What the server said: a pause, and what is left of its own limits (see Limits.note).
local cool_until = math.max(number(state_key, 'cool_until'), ask.cool_down > 0 and now + ask.cool_down or 0)
redis.call('HSET', state_key, 'cool_until', cool_until)
for kind, said in pairs(ask.allowances) do
  local left = kind == 'tokens' and tokens or requests
  local newer = number(state_key, kind .. '_said_at') <= said.at or number(state_key, kind .. '_until') <= now
  if newer and said.at <= left then
    redis.call('HSET', state_key, kind .. '_said_at', said.at, kind .. '_up_to', said.at + said.left,
      kind .. '_until', now + said.reset)
  end
end
local allowed = {}
for _, kind in ipairs({'requests', 'tokens'}) do
  allowed[kind] = {up_to = number(state_key, kind .. '_up_to'), wait = number(state_key, kind .. '_until') - now}
end

-- The last minute: a list of "time tokens", and the sum of its tokens.
local sent, sent_tokens = redis.call('LLEN', sent_key), number(state_key, 'sent_tokens')
local function oldest()
  local entry = redis.call('LINDEX', sent_key, 0)
  if entry then
    local at, counted = string.match(entry, '(%d+) (%d+)')
    return tonumber(at), tonumber(counted)
  end
end
while true do
  local at, counted = oldest()
  if not at or at > now - ask.window then break end
  redis.call('LPOP', sent_key)
  sent, sent_tokens = sent - 1, sent_tokens - counted
end
if sent == 0 then sent_tokens = 0 end

-- A free place belongs to the waiting holder that has the fewest, then to the one served longest ago.
local my_last = number(served_key, me)
local function another_is_next()
  for holder, count in pairs(others) do
    if number(waiting_key, holder) > now
      and (count < mine or (count == mine and number(served_key, holder) < my_last)) then
      return true
    end
  end
  return false
end

local function a_place_is_free()
  return now >= settled_at and all < ask.concurrency and not another_is_next()
end

-- Room in the minute belongs to the holder that has waited for it longest: else small requests, which fit into the little
-- that comes free at a time, would keep a large one of another holder from ever leaving.
local first = redis.call('HGET', state_key, 'first')
local another_is_first = first and first ~= me and redis.call('ZSCORE', leases_key, first)
local waits_for_room = false

-- A few requests get a slot before a place is free, so that they are in the ledger by then. Not where the server limits
-- more than requests in flight, and not while a holder waits that should have one of my places: it gets the next.
local function may_go_ahead()
  if now < settled_at or admitted - mine >= math.min(ask.ahead, math.floor(mine / ask.ahead_share)) then return false end
  if allowed.requests.wait > 0 or allowed.tokens.wait > 0 then return false end
  for holder, count in pairs(others) do
    if number(waiting_key, holder) > now and count + 1 < mine then return false end
  end
  return true
end

local function wait_of(cost, counted, has_room)
  local room = 0
  if requests + 1 > allowed.requests.up_to then room = math.max(room, allowed.requests.wait) end
  if tokens + cost > allowed.tokens.up_to then room = math.max(room, allowed.tokens.wait) end
  local full = (ask.requests > 0 and sent >= ask.requests) or (ask.tokens > 0 and sent_tokens + counted > ask.tokens)
  if full then room = math.max(room, (oldest() or now) + ask.window - now) end
  waits_for_room = room > 0
  if another_is_first then room = math.max(room, ask.poll) end
  local wait = math.max(cool_until - now, settled_at - now, room)
  if wait <= 0 and not has_room then wait = ask.poll end
  return wait
end

-- Those that went ahead have their places first.
while mine < admitted and a_place_is_free() do
  mine, all, my_last = mine + 1, all + 1, requests
end

local first_requests, first_tokens = requests, tokens
local granted, wait = 0, 0
for _, cost in ipairs(ask.costs) do
  local counted = ask.tokens > 0 and math.min(cost, ask.tokens) or 0
  local is_free = a_place_is_free()
  wait = wait_of(cost, counted, is_free or may_go_ahead())
  if wait > 0 then break end
  if ask.requests > 0 or ask.tokens > 0 then
    redis.call('RPUSH', sent_key, now .. ' ' .. counted)
    sent, sent_tokens = sent + 1, sent_tokens + counted
  end
  if is_free then mine, all = mine + 1, all + 1 end
  granted, admitted, requests, tokens = granted + 1, admitted + 1, requests + 1, tokens + cost
  my_last = requests
end
local is_waiting = granted < #ask.costs or mine < admitted

redis.call('HSET', state_key, 'requests', requests, 'tokens', tokens, 'sent_tokens', sent_tokens)
redis.call('HSET', served_key, me, my_last)
if not another_is_first then
  if waits_for_room then
    redis.call('HSET', state_key, 'first', me)
  elseif first then
    redis.call('HDEL', state_key, 'first')
  end
end
if is_waiting then
  -- Short: a holder that died while it waited must not keep others from their turn.
  redis.call('HSET', waiting_key, me, now + ask.patience)
else
  redis.call('HDEL', waiting_key, me)
end
if mine > 0 or is_waiting then
  redis.call('HSET', in_flight_key, me, mine)
  redis.call('ZADD', leases_key, now + ask.lease, me)
else
  redis.call('HDEL', in_flight_key, me)
  redis.call('HDEL', served_key, me)
  redis.call('ZREM', leases_key, me)
end
for _, key in ipairs(KEYS) do
  redis.call('PEXPIRE', key, ask.keep)
end
local cool_down = math.max(0, cool_until - now)
return {granted, math.max(0, math.ceil(wait)), first_requests, first_tokens, mine, cool_down, epoch}
