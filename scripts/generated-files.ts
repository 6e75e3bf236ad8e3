import { renderCrds } from '@minifleet/api';

/** Every generated file, path from the root of the repository → content. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([...renderCrds()].map(([file, yaml]) => [`config/crd/${file}`, yaml]));
}
