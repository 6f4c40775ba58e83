/* Settings of this browser. */

/** Return a setting, set to `value` if one is given; null where nothing is kept. */
export function setting(name, value) {
  try {
    if (value !== undefined) window.localStorage.setItem("masons-" + name, value);
    return window.localStorage.getItem("masons-" + name);
  } catch {
    return null;
  }
}
