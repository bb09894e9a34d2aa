// Shows the worst answer of a proof: its ray drawn from the side, both answers, and the reason for its class.

const EXPLAINED = {
  exact: "The answer is the rounded float64 answer.",
  within: "The distance is within its bound",
  tie: "Rounding cannot distinguish the distances of two surfaces",
  silhouette: "The ray passes so close to an edge that it may hit or miss",
  range: "The crossing is so close to an end of the ray that it may be inside or outside",
  mismatch: "Wrong: no rounding explains this answer",
};

/** Returns an answer as one line. */
function answerText({ t, geometry_id: id, primitive_id: primitive, occluded, intersections, crossings, contains, containing_id: container }) {
  if (occluded !== undefined) return occluded ? "hit" : "no hit";
  if (intersections !== undefined) return `${intersections} crossings`;
  if (crossings !== undefined) return `${crossings.length} crossings: ${crossings.join(", ")}`;
  const surface = id === null ? "nothing" : `geometry ${id}${primitive ? `, primitive ${primitive}` : ""}`;
  if (contains !== undefined) return `in ${contains} solids${container === undefined || container === null ? "" : `, lowest id ${container}`}; nearest ${surface}`;
  return t === null ? `hits ${surface}` : `t ${t}, ${surface}`;
}

function explanation({ class: kind, error, cause }) {
  const parts = [EXPLAINED[kind]];
  if (kind === "within" && error !== null) parts.push(`: the error is ${(100 * error).toFixed(2)} % of the bound.`);
  else if (cause) parts.push(`: surface ${cause.geometry_id}/${cause.primitive_id} would need to move by ${(100 * cause.displacement).toFixed(2)} % of the allowed distance.`);
  else if (kind !== "exact") parts.push(".");
  return parts.join("");
}

/** Shows the worst answer of a result, if there is one. */
export function showWorst(section, { summary, picture }) {
  const [worst] = summary.worst;
  section.hidden = worst === undefined;
  if (section.hidden) return;
  const isWrong = worst.class === "mismatch";
  section.querySelector("h2").textContent = isWrong ? "A wrong answer" : "The worst answer, which is still correct";
  const image = section.querySelector("img");
  URL.revokeObjectURL(image.src);
  section.querySelector("figure").hidden = !picture;
  if (picture) image.src = URL.createObjectURL(new Blob([picture], { type: "image/png" }));
  const texts = {
    scene: worst.scene,
    part: `${worst.part}, number ${worst.index}`,
    asked: worst.ray ? `ray ${worst.ray}` : `point ${worst.point.join(", ")}`,
    given: answerText(worst.given),
    exact: answerText(worst.exact),
    class: `${worst.class}, ${worst.type}. ${explanation(worst)}`,
  };
  for (const [of, text] of Object.entries(texts)) section.querySelector(`[data-of=${of}]`).textContent = text;
}
