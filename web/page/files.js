// Reads the files that a user drops or chooses, with their paths in their folder.

export async function fromInput(input) {
  const files = await Promise.all([...input.files].map(async (file) => ({
    path: file.webkitRelativePath || file.name,
    bytes: new Uint8Array(await file.arrayBuffer()),
  })));
  input.value = "";
  return files;
}

export async function fromDrop(transfer) {
  // The entries are valid only during the event, so all of them are read first.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (entries.length === 0) {
    return Promise.all([...transfer.files].map(async (file) => ({ path: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })));
  }
  return (await Promise.all(entries.map((entry) => below(entry)))).flat();
}

async function below(entry) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    return [{ path: entry.fullPath.replace(/^\//, ""), bytes: new Uint8Array(await file.arrayBuffer()) }];
  }
  const reader = entry.createReader();
  const found = [];
  // A reader returns at most a hundred entries at a time.
  for (;;) {
    const more = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (more.length === 0) break;
    found.push(...more);
  }
  return (await Promise.all(found.map(below))).flat();
}
