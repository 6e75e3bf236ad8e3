import type { Host, HostRunOptions } from '../host.ts';

/** Host whose calls end with the signal: running calls reject and no new call starts, even if a step ignores errors. */
export function abortableHost(host: Host, signal: AbortSignal): Host {
  const under = async <T>(work: () => Promise<T>): Promise<T> => {
    signal.throwIfAborted();
    return unlessAborted(work(), signal);
  };
  const within = (options: HostRunOptions = {}): HostRunOptions => ({
    ...options,
    signal: options.signal ? AbortSignal.any([options.signal, signal]) : signal,
  });
  return {
    address: host.address,
    user: host.user,
    clock: host.clock,
    query: (argv, options) => under(() => host.query(argv, options)),
    readText: path => under(() => host.readText(path)),
    readBytes: path => under(() => host.readBytes(path)),
    fileInfo: path => under(() => host.fileInfo(path)),
    holdsArtifact: (path, artifact) => under(() => host.holdsArtifact(path, artifact)),
    redact: text => host.redact(text),
    run: (argv, options) => under(() => host.run(argv, within(options))),
    must: (argv, options) => under(() => host.must(argv, within(options))),
    script: (name, args, options) => under(() => host.script(name, args, within(options))),
    writeFile: (place, content) => under(() => host.writeFile(place, content)),
    editText: (place, edit) => under(() => host.editText(place, edit)),
    upload: (place, artifact, options) => under(() => host.upload(place, artifact, options)),
    remove: path => under(() => host.remove(path)),
  };
}

/** Result of `work`, or the signal's reason as soon as it aborts, even if `work` then fails with another error. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([aborted, work]);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
