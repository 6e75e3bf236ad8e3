/** The node agent of a Mac: a Pod is a macOS VM. */
export * from './guests/guest.ts';
export * from './images/images.ts';
