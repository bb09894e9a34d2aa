// Saves files of the page in the user's downloads.

/** Saves bytes as a file with this name. */
export function saveFile(name, blob) {
  const address = URL.createObjectURL(blob);
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  // The browser has read the bytes by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
