/** Number of days in the grid. */
export const days = 15;
