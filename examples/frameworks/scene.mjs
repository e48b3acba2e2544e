// The parts that the agents of all four frameworks share: their words, the work of their two tools, and the answers of
// the two models that stand in for real ones. orbit-2 guesses the weather.

export const instructions = "Look at the weather, then into the wardrobe. Answer in one sentence.";
export const question = "What do I pack for Bergen?";

export const describe = {
  weather: "Tomorrow's weather in a city.",
  wardrobe: "What there is to wear in a kind of weather.",
};

export const weather = ({ city }) => `${city}: ${city === "Bergen" ? "rain" : "sun"}`;
export const wardrobe = ({ sky }) => (sky === "rain" ? "umbrella, boots" : "hat");

const call = (name, args) => ({ id: `call_${name}`, name, args });
const answer = "Take the umbrella and the boots.";

/** A list of answers for each model: a call of a tool, or a text. */
export const models = {
  "orbit-1": [call("weather", { city: "Bergen" }), call("wardrobe", { sky: "rain" }), answer],
  "orbit-2": [call("wardrobe", { sky: "rain" }), answer],
};
