/* Settings of this browser, and what is kept for one tab of it. */

/** Return a setting, set to `value` if one is given; null where nothing is kept. */
export function setting(name, value) {
  try {
    if (value !== undefined) window.localStorage.setItem("masons-" + name, value);
    return window.localStorage.getItem("masons-" + name);
  } catch {
    return null;
  }
}

/** Keep a value for this tab; return whether that is possible. */
export function keep(name, value) {
  try {
    window.sessionStorage.setItem(name, JSON.stringify(value));
    return true;
  } catch {
    return false; // too long, or nothing may be kept
  }
}

/** Return what is kept for this tab, or null. */
export function kept(name) {
  try {
    return JSON.parse(window.sessionStorage.getItem(name));
  } catch {
    return null;
  }
}
