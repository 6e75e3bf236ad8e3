/** The other side broke SPDY's rules: the connection cannot go on. */
export class SpdyError extends Error {
  override readonly name = 'SpdyError';
}
