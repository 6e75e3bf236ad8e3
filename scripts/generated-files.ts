import { renderCrds } from '@minifleet/api';
import { podFieldsPage } from './pod-fields-page.ts';
import { worldPage } from './world-page.ts';

/** Every generated file, path from the root of the repository → content. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ...[...renderCrds()].map(([file, yaml]): [string, string] => [`config/crd/${file}`, yaml]),
    ['docs/world.md', worldPage()],
    ['docs/reference/pod-fields.md', podFieldsPage()],
  ]);
}
