import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** Options of `scripts/build-containers.ts`. */
interface InstallerOptions {
  readonly file: string | undefined;
  /** SHA-256 of the script that the operator has read. */
  readonly sha256: string | undefined;
}

/** Commands that get the script of one commit. The id of a commit is the only checksum that Homebrew publishes for it. */
export const HOW_TO_GET = [
  '  commit=$(git ls-remote https://github.com/Homebrew/install HEAD | cut -f 1)',
  '  git init -q homebrew-install && git -C homebrew-install fetch -q --depth 1 https://github.com/Homebrew/install "$commit"',
  '  git -C homebrew-install show "$commit:install.sh" >install-homebrew.sh     # git verifies the commit; read the script',
  '  node scripts/build-containers.ts --homebrew-installer install-homebrew.sh \\',
  '    --homebrew-sha256 "$(sha256sum install-homebrew.sh | cut -d " " -f 1)"',
].join('\n');

const SHA256 = /^[0-9a-f]{64}$/;

/** Reads Homebrew's install script. Undefined without the option: builders then need Macs with Homebrew. */
export async function readHomebrewInstaller({ file, sha256 }: InstallerOptions): Promise<Buffer | undefined> {
  if (file === undefined) return undefined;
  if (sha256 === undefined || !SHA256.test(sha256))
    throw new Error(
      `--homebrew-installer ${file}: --homebrew-sha256 is ${sha256 === undefined ? 'missing' : 'not a SHA-256'}. Homebrew publishes no checksum of its install script, so get it from a commit, read it and pass its hash:\n${HOW_TO_GET}`,
    );
  const content = await readFile(file);
  const actual = createHash('sha256').update(content).digest('hex');
  if (actual !== sha256)
    throw new Error(
      `--homebrew-installer ${file}: the SHA-256 is ${actual}, but --homebrew-sha256 is ${sha256}; use the script that you have read`,
    );
  return content;
}
