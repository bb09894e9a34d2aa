// Formats numbers and counts for the page.

const PLURALS = { box: "boxes", torus: "tori", mesh: "meshes", lines: "sets of lines" };

/** Formats a number. Integers have all digits, and other numbers have enough digits to distinguish them from their neighbours. */
export const shown = (number) => (Number.isInteger(number) ? String(number) : String(Number(number.toPrecision(7))));

export const vector = (numbers) => numbers.map(shown).join(", ");

/** True for the scene that was combined from several files. */
export const isTogether = (path) => path === "together.json";

/** True if a message is about a missing file that another file refers to. */
export const isMissing = (message) => message.includes("No such file or directory");

/** Formats a count with its noun. */
export const many = (count, noun) => `${count.toLocaleString("en")} ${count === 1 ? noun : PLURALS[noun] ?? `${noun}s`}`;
