/** The CSRF token, read at the moment of sending: another tab may have logged in again since this page was loaded. */
export function csrfToken() {
  const cookie = document.cookie.split("; ").find((part) => part.startsWith("csrftoken="));
  return cookie ? decodeURIComponent(cookie.slice("csrftoken=".length)) : "";
}
