// The page's elements, and its voice for those who hear it.

export const $ = (selector) => document.querySelector(selector);

/** Has screen readers say a text. */
export const say = (text) => { $("#live").textContent = text; };
