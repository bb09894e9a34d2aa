// Opens a scene from an address, or a molecule by its PDB id. Only this contacts another machine, and only if the user requests it.

import { $ } from "./page.js";

const PDB_ID = /^(pdb_0000)?([0-9][a-z0-9]{3})$/i;

/** Returns the address that a user entered, or null if the text is not an address or a PDB id. */
export function addressOf(text) {
  const id = PDB_ID.exec(text.trim());
  if (id) return `https://files.rcsb.org/download/${id[2].toUpperCase()}.cif`;
  const address = URL.canParse(text.trim()) ? new URL(text.trim()) : null;
  return address && /^https?:$/.test(address.protocol) ? address.href : null;
}

/** Downloads a scene, without the files that it refers to. */
export async function fromAddress(address) {
  const name = decodeURIComponent(new URL(address).pathname.split("/").pop()) || "scene";
  const response = await fetch(address, { credentials: "omit", referrerPolicy: "no-referrer" }).catch(() => {
    throw new Error(`${address}: cannot be read: the server does not respond, or does not allow other pages to read it. Download the file, and open it here`);
  });
  if (!response.ok) throw new Error(`${address}: cannot be read: the server returned ${response.status} ${response.statusText}`.trim());
  return [{ path: name, bytes: new Uint8Array(await response.arrayBuffer()) }];
}

/** Prepares the dialog for an address. It calls `openAddress` with the address that the user enters. */
export function prepareAddress(openAddress) {
  const dialog = $("#address");
  let view = {};
  const [input, status] = [dialog.querySelector("input"), dialog.querySelector("[role=status]")];
  const showAddress = () => {
    const address = addressOf(input.value);
    status.textContent = address ? `This downloads ${address} from ${new URL(address).host}` : input.value ? "This is not an address or a PDB id." : "";
    dialog.querySelector("[type=submit]").disabled = !address;
    return address;
  };
  input.oninput = showAddress;
  dialog.querySelector("form").onsubmit = (event) => {
    event.preventDefault();
    const address = showAddress();
    if (!address) return;
    dialog.close();
    openAddress(address, view);
  };
  dialog.querySelector("[value=cancel]").onclick = () => dialog.close();
  return (text, options = {}) => {
    input.value = text;
    view = options;
    showAddress();
    dialog.showModal();
  };
}
