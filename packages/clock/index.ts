/** Time as everything is given it: durations, back-off, and the clock. */
export * from './back-off.ts';
export * from './clock.ts';
export * from './duration.ts';
export * from './within.ts';
