/** What every page has: colours, times, menus, confirmations, and forms that are sent once. */

import { watchConfirmations } from "./page/confirm.js";
import { watchForms } from "./page/forms.js";
import { watchRequests } from "./page/requests.js";
import { watchTimes } from "./page/times.js";
import { watchMenus } from "./page/menus.js";
import { watchTheme } from "./page/theme.js";

watchTheme();
watchTimes();
watchMenus();
watchConfirmations();
watchForms();
watchRequests();
