/** Time: durations, back-off, the clock that everything is given, and the policies that depend on nothing else. */
export * from './back-off.ts';
export * from './clock.ts';
export * from './duration.ts';
export * from './retry-while.ts';
export * from './throttle.ts';
export * from './ttl-cache.ts';
export * from './within.ts';
