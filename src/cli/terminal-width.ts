/** As many columns as terminals have that do not say how many they have, and commander takes for what is none. */
const USUAL_WIDTH = 80;

/** Some pseudo-terminals say that they have none. */
export const widthOf = ({ columns }: NodeJS.WriteStream, usual = USUAL_WIDTH): number =>
  columns || usual;
