// Opening a scene from an address, or a molecule by its PDB id. It is the only thing that asks another machine, and only when a visitor asks for it.

import { $ } from "./page.js";

const PDB_ID = /^(pdb_0000)?([0-9][a-z0-9]{3})$/i;

/** Returns the address that a visitor means; nothing if it is none. */
export function addressOf(text) {
  const id = PDB_ID.exec(text.trim());
  if (id) return `https://files.rcsb.org/download/${id[2].toUpperCase()}.cif`;
  const address = URL.canParse(text.trim()) ? new URL(text.trim()) : null;
  return address && /^https?:$/.test(address.protocol) ? address.href : null;
}

/** Downloads a scene. The files that it names are not asked for. */
export async function fromAddress(address) {
  const name = decodeURIComponent(new URL(address).pathname.split("/").pop()) || "scene";
  const response = await fetch(address, { credentials: "omit", referrerPolicy: "no-referrer" }).catch(() => {
    throw new Error(`${address}: cannot be read: the server does not answer, or does not let other pages read it. Save the file, and open it here`);
  });
  if (!response.ok) throw new Error(`${address}: cannot be read: the server says ${response.status} ${response.statusText}`.trim());
  return [{ path: name, bytes: new Uint8Array(await response.arrayBuffer()) }];
}

/** Prepares the dialog that asks for an address. `openAddress` takes the one that is entered. */
export function prepareAddress(openAddress) {
  const dialog = $("#address");
  let view = {};
  const [input, status] = [dialog.querySelector("input"), dialog.querySelector("[role=status]")];
  const showAddress = () => {
    const address = addressOf(input.value);
    status.textContent = address ? `This asks ${new URL(address).host} for ${address}` : input.value ? "This is no address and no PDB id." : "";
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
