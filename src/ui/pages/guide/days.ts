/** Days of the grid, the first being the one on which it begins. */
export const days = 15;
