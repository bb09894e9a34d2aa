// Saves what the page has made among the visitor's downloads.

/** Saves bytes as a file of that name. */
export function saveFile(name, blob) {
  const address = URL.createObjectURL(blob);
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  // The browser has taken the bytes by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
