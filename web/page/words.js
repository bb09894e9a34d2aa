// Numbers and counts as the page writes them.

const PLURALS = { box: "boxes", torus: "tori", mesh: "meshes", lines: "sets of lines" };

/** Writes whole numbers as they are, and others with so many digits that they differ from their neighbours. */
export const shown = (number) => (Number.isInteger(number) ? String(number) : String(Number(number.toPrecision(7))));

export const vector = (numbers) => numbers.map(shown).join(", ");

/** True for the scene that is made of several files. */
export const isTogether = (path) => path === "together.json";

/** True if a message names a file that others name and that is not there. */
export const isMissing = (message) => message.includes("No such file or directory");

/** Writes a count with its noun. */
export const many = (count, noun) => `${count.toLocaleString("en")} ${count === 1 ? noun : PLURALS[noun] ?? `${noun}s`}`;
