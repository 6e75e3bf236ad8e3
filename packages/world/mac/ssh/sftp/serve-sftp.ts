import ssh2 from 'ssh2';
import { FileError, type OpenFile, type Stat } from '../../files/file-system.ts';
import type { Mac, User } from '../../mac.ts';
import { modeText } from '../../unix/ls.ts';

const { OPEN_MODE, STATUS_CODE } = ssh2.utils.sftp;

/** Open file or directory of a client. */
type SftpHandle =
  | { readonly file: OpenFile; readonly path: string }
  | { readonly names: string[]; readonly path: string };

const CODES: Readonly<Record<string, number>> = {
  ENOENT: STATUS_CODE.NO_SUCH_FILE,
  EACCES: STATUS_CODE.PERMISSION_DENIED,
  EPERM: STATUS_CODE.PERMISSION_DENIED,
  EROFS: STATUS_CODE.PERMISSION_DENIED,
};

const TYPE_BITS = { file: 0o100000, directory: 0o040000, link: 0o120000 } as const;

const attributesOf = (stat: Stat): ssh2.Attributes => ({
  mode: stat.mode | TYPE_BITS[stat.type],
  uid: stat.uid,
  gid: stat.gid,
  size: stat.size,
  atime: Math.floor(stat.modified / 1_000),
  mtime: Math.floor(stat.modified / 1_000),
});

/** Serves the files of a Mac over sftp, limited to what OpenSSH's sftp and scp request. */
export function serveSftp({ mac, user }: { readonly mac: Mac; readonly user: User }, sftp: ssh2.SFTPWrapper): void {
  const server = new SftpServer(mac, user, sftp);
  const on = (name: string, act: (request: number, ...rest: never[]) => void): void => {
    sftp.on(name, (request: number, ...rest: unknown[]) =>
      server.answer(request, () => act(request, ...(rest as never[]))),
    );
  };
  on('OPEN', (request, path: string, flags: number, attributes: Partial<ssh2.Attributes>) =>
    server.open(request, path, { flags, attributes }),
  );
  on('READ', (request, handle: Buffer, offset: number, length: number) =>
    server.read(request, handle, { offset, length }),
  );
  on('WRITE', (request, handle: Buffer, offset: number, data: Buffer) =>
    server.write(request, handle, { offset, data }),
  );
  on('CLOSE', (request, handle: Buffer) => server.close(request, handle));
  on('FSTAT', (request, handle: Buffer) => server.stat(request, server.pathOf(handle), true));
  on('STAT', (request, path: string) => server.stat(request, server.absolute(path), true));
  on('LSTAT', (request, path: string) => server.stat(request, server.absolute(path), false));
  on('FSETSTAT', (request, handle: Buffer, attributes: Partial<ssh2.Attributes>) =>
    server.change(request, server.pathOf(handle), attributes),
  );
  on('SETSTAT', (request, path: string, attributes: Partial<ssh2.Attributes>) =>
    server.change(request, server.absolute(path), attributes),
  );
  on('OPENDIR', (request, path: string) => server.openDirectory(request, path));
  on('READDIR', (request, handle: Buffer) => server.readDirectory(request, handle));
  on('REALPATH', (request, path: string) => server.realPath(request, path));
  on('READLINK', (request, path: string) => server.readLink(request, path));
  on('REMOVE', (request, path: string) => server.done(request, () => mac.files.remove(user, server.absolute(path))));
  on('RMDIR', (request, path: string) => server.done(request, () => mac.files.remove(user, server.absolute(path))));
  on('MKDIR', (request, path: string) =>
    server.done(request, () => mac.files.makeDirectory(user, server.absolute(path))),
  );
  on('RENAME', (request, from: string, to: string) => server.rename(request, from, to));
  // ssh2 passes the link first, despite its type definitions.
  on('SYMLINK', (request, path: string, target: string) =>
    server.done(request, () => mac.files.link(user, target, server.absolute(path))),
  );
  on('EXTENDED', request => sftp.status(request, STATUS_CODE.OP_UNSUPPORTED));
  sftp.on('end', () => hangUp(sftp));
  sftp.on('close', () => server.closeAll());
}

/** Private field of ssh2: the underlying channel. */
interface SftpChannel {
  readonly _protocol: { exitStatus(channel: number, code: number): void };
  readonly outgoing: { readonly id: number };
}

/**
 * OpenSSH's client waits for the server to close the channel after its own end of file, and scp fails unless it exits
 * with 0.
 */
function hangUp(sftp: ssh2.SFTPWrapper): void {
  const { _protocol: protocol, outgoing } = sftp as unknown as SftpChannel;
  protocol.exitStatus(outgoing.id, 0);
  sftp.end();
}

class SftpServer {
  readonly #mac: Mac;
  readonly #user: User;
  readonly #sftp: ssh2.SFTPWrapper;
  readonly #handles = new Map<number, SftpHandle>();
  #last = 0;

  constructor(mac: Mac, user: User, sftp: ssh2.SFTPWrapper) {
    this.#mac = mac;
    this.#user = user;
    this.#sftp = sftp;
  }

  /** Runs an action and replies to a file error with the matching status. */
  answer(request: number, act: () => void): void {
    try {
      act();
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      this.#sftp.status(request, CODES[error.code] ?? STATUS_CODE.FAILURE, error.message);
    }
  }

  absolute(path: string): string {
    return path.startsWith('/') ? path : `${this.#user.home}/${path}`;
  }

  done(request: number, act: () => void): void {
    act();
    this.#sftp.status(request, STATUS_CODE.OK);
  }

  open(
    request: number,
    given: string,
    { flags, attributes }: { readonly flags: number; readonly attributes: Partial<ssh2.Attributes> },
  ): void {
    const path = this.absolute(given);
    const writes = (flags & OPEN_MODE.WRITE) !== 0;
    const exists = this.#mac.files.exists(this.#user, path);
    if (writes && exists && flags & OPEN_MODE.EXCL) throw new FileError('EEXIST', path, 'File exists');
    if (writes && !exists && !(flags & OPEN_MODE.CREAT))
      throw new FileError('ENOENT', path, 'No such file or directory');
    const kind = writes ? (flags & OPEN_MODE.TRUNC ? 'writing' : 'updating') : 'reading';
    const file = this.#mac.files.open(this.#user, path, { for: kind, mode: (attributes.mode ?? 0o644) & 0o755 });
    this.#give(request, { file, path });
  }

  read(
    request: number,
    handle: Buffer,
    { offset, length }: { readonly offset: number; readonly length: number },
  ): void {
    const data = this.#file(handle).readAt(offset, length);
    if (data.length === 0) this.#sftp.status(request, STATUS_CODE.EOF);
    else this.#sftp.data(request, data);
  }

  write(request: number, handle: Buffer, { offset, data }: { readonly offset: number; readonly data: Buffer }): void {
    this.done(request, () => this.#file(handle).writeAt(offset, Buffer.from(data)));
  }

  close(request: number, handle: Buffer): void {
    const held = this.#held(handle);
    this.#handles.delete(handle.readUInt32BE(0));
    this.done(request, () => {
      if ('file' in held) held.file.close();
    });
  }

  closeAll(): void {
    for (const held of this.#handles.values()) if ('file' in held) held.file.close();
    this.#handles.clear();
  }

  stat(request: number, path: string, followLinks: boolean): void {
    this.#sftp.attrs(request, attributesOf(this.#mac.files.stat(this.#user, path, { followLinks })));
  }

  change(request: number, path: string, attributes: Partial<ssh2.Attributes>): void {
    this.done(request, () => {
      if (attributes.mode !== undefined) this.#mac.files.chmod(this.#user, path, attributes.mode & 0o7777);
      if (attributes.mtime !== undefined) this.#mac.files.setModified(this.#user, path, attributes.mtime * 1_000);
    });
  }

  openDirectory(request: number, given: string): void {
    const path = this.absolute(given);
    this.#give(request, { names: ['.', '..', ...this.#mac.files.list(this.#user, path)], path });
  }

  readDirectory(request: number, handle: Buffer): void {
    const held = this.#held(handle);
    const names = 'names' in held ? held.names.splice(0, 100) : [];
    if (names.length === 0) {
      this.#sftp.status(request, STATUS_CODE.EOF);
      return;
    }
    const entries = names.map(filename => {
      const stat = this.#mac.files.stat(this.#user, `${held.path}/${filename}`, { followLinks: false });
      return {
        filename,
        longname: `${modeText(stat)} 1 ${stat.uid} ${stat.gid} ${stat.size} Jan  1 00:00 ${filename}`,
        attrs: attributesOf(stat),
      };
    });
    this.#sftp.name(request, entries);
  }

  realPath(request: number, given: string): void {
    const path = this.absolute(given === '.' || given === '' ? this.#user.home : given);
    const real = this.#mac.files.exists(this.#user, path) ? this.#mac.files.realPath(this.#user, path) : path;
    this.#name(request, real);
  }

  readLink(request: number, path: string): void {
    this.#name(request, this.#mac.files.readLink(this.#user, this.absolute(path)));
  }

  /** Version 3 of the protocol does not replace: an existing target is a failure. */
  rename(request: number, from: string, to: string): void {
    if (this.#mac.files.exists(this.#user, this.absolute(to))) throw new FileError('EEXIST', to, 'Failure');
    this.done(request, () => this.#mac.files.rename(this.#user, this.absolute(from), this.absolute(to)));
  }

  pathOf(handle: Buffer): string {
    return this.#held(handle).path;
  }

  #name(request: number, filename: string): void {
    const nothing = { mode: 0, uid: 0, gid: 0, size: 0, atime: 0, mtime: 0 };
    this.#sftp.name(request, [{ filename, longname: filename, attrs: nothing }]);
  }

  #give(request: number, handle: SftpHandle): void {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(++this.#last);
    this.#handles.set(this.#last, handle);
    this.#sftp.handle(request, bytes);
  }

  #held(handle: Buffer): SftpHandle {
    const held = handle.length === 4 ? this.#handles.get(handle.readUInt32BE(0)) : undefined;
    if (!held) throw new FileError('EINVAL', '', 'Invalid handle');
    return held;
  }

  #file(handle: Buffer): OpenFile {
    const held = this.#held(handle);
    if (!('file' in held)) throw new FileError('EINVAL', held.path, 'Invalid handle');
    return held.file;
  }
}
