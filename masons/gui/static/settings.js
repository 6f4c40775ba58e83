/* The settings of this browser, and values kept for one tab. */

/** Return a setting, after setting it to `value` if one is given. Return null if there is no such setting.
    @type {(name: string, value?: string | number) => string | null} */
export function setting(name, value) {
  try {
    if (value !== undefined) window.localStorage.setItem("masons-" + name, String(value));
    return window.localStorage.getItem("masons-" + name);
  } catch {
    return null;
  }
}

/** Keep a value for this tab, and return whether this was possible.
    @type {(name: string, value: unknown) => boolean} */
export function keep(name, value) {
  try {
    window.sessionStorage.setItem(name, JSON.stringify(value));
    return true;
  } catch {
    return false; // the value is too long, or the browser keeps nothing
  }
}

/** Return the value kept for this tab under a name, or null.
    @type {(name: string) => any} */
export function kept(name) {
  try {
    return JSON.parse(window.sessionStorage.getItem(name) ?? "null");
  } catch {
    return null;
  }
}

/** Show the page in the theme and with the letters of the settings. Without a setting, the theme is the system's. */
export function showLook() {
  const theme = setting("theme");
  const media = theme === "dark" ? "all" : theme === "light" ? "not all" : "(prefers-color-scheme: dark)";
  for (const sheet of document.querySelectorAll("link.dark")) sheet.setAttribute("media", media);
  document.documentElement.style.setProperty("--letters", setting("letters") === "yes" ? "inline" : "none");
}
