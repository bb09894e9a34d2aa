// Finds the page's elements, and announces texts to screen readers.

export const $ = (selector) => document.querySelector(selector);

/** Makes screen readers announce a text. */
export const say = (text) => { $("#live").textContent = text; };
