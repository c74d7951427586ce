/** Limits of the event stream in tests: small enough to be reached. */
export const push = { maximumClients: 4, clientBound: 16_384, history: 8, heartbeat: 1 } as const;
