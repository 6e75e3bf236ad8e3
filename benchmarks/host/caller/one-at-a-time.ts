import type { Host } from '@minifleet/host';

/** Host of the baseline, which runs all operations one after the other and batches none. */
export function oneAtATime(host: Host): Host {
  let last: Promise<unknown> = Promise.resolve();
  const next = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work, work);
    last = result.catch(() => undefined);
    return result;
  };
  return {
    address: host.address,
    user: host.user,
    clock: host.clock,
    query: (argv, options) => next(() => host.query(argv, options)),
    readText: path => next(() => host.readText(path)),
    readBytes: path => next(() => host.readBytes(path)),
    fileInfo: path => next(() => host.fileInfo(path)),
    redact: text => host.redact(text),
    holdsArtifact: (path, artifact) => next(() => host.holdsArtifact(path, artifact)),
    run: (argv, options) => next(() => host.run(argv, options)),
    must: (argv, options) => next(() => host.must(argv, options)),
    script: (name, args, options) => next(() => host.script(name, args, options)),
    writeFile: (place, content) => next(() => host.writeFile(place, content)),
    editText: (place, edit) => next(() => host.editText(place, edit)),
    upload: (place, artifact, options) => next(() => host.upload(place, artifact, options)),
    remove: path => next(() => host.remove(path)),
  };
}
