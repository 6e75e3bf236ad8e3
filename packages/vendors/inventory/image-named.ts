import type { Image } from '../vendor.ts';

/** `macos-golden-gate-27.0` is Golden Gate 27.0. */
export function imageNamed(name: string): Image {
  const [, family = name, version = ''] = /^(?:macos-)?(.*?)-([0-9].*)$/.exec(name) ?? [];
  const words = family.split('-').map(word => word.charAt(0).toUpperCase() + word.slice(1));
  return { name, family: words.join(' '), version, beta: /beta/i.test(version) };
}
