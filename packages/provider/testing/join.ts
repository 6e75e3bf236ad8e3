/** Internals of packages/provider/join that tests, benchmarks and generators of other packages use. */
export { TOKEN_GROUP } from '../join/bootstrap-token.ts';
