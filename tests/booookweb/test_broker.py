"""The broker of one machine: files that several processes write and take."""

import json
import threading
from collections import Counter
from pathlib import Path

from kombu import Connection, Exchange, Queue

from booookweb import broker

QUEUE = Queue("celery", Exchange("celery"), routing_key="celery")


def connect(folder: Path) -> Connection:
    return Connection(f"{broker.SCHEME}://localhost", transport_options=broker.folder_options(folder))


def test_every_message_of_a_burst_arrives_once_and_whole(tmp_path: Path) -> None:
    sent, taken, errors = threading.Event(), Counter[int](), []

    def take() -> None:
        with connect(tmp_path) as connection:
            channel = connection.default_channel
            while True:
                finished = sent.is_set()
                try:
                    message = channel.basic_get("celery", no_ack=True)
                except Exception as error:
                    errors.append(error)
                    continue
                if message is not None:
                    taken[json.loads(message.body)["number"]] += 1
                elif finished:
                    return

    takers = [threading.Thread(target=take) for _ in range(2)]
    for taker in takers:
        taker.start()
    with connect(tmp_path) as connection:
        producer = connection.Producer(serializer="json")
        for number in range(500):
            producer.publish({"number": number}, exchange=QUEUE.exchange, routing_key="celery", declare=[QUEUE])
    sent.set()
    for taker in takers:
        taker.join()
    assert errors == []
    assert taken == Counter(range(500))
    assert list((tmp_path / "messages").iterdir()) == []


def test_messages_come_in_the_order_in_which_they_were_sent(tmp_path: Path) -> None:
    with connect(tmp_path) as connection:
        producer = connection.Producer(serializer="json")
        for number in range(5):
            producer.publish({"number": number}, exchange=QUEUE.exchange, routing_key="celery", declare=[QUEUE])
        channel = connection.default_channel
        assert channel.queue_declare(queue="celery").message_count == 5
        numbers = [json.loads(channel.basic_get("celery", no_ack=True).body)["number"] for _ in range(5)]
    assert numbers == [0, 1, 2, 3, 4]
