import type { PlannedStep } from '../engine/step.ts';
import { actionsRunner } from '../steps/actions-runner/actions-runner.ts';
import { buildCache } from '../steps/build-cache/build-cache.ts';
import { builderTools } from '../steps/builder-tools/builder-tools.ts';
import { homebrew } from '../steps/homebrew/homebrew.ts';
import { xcode } from '../steps/xcode/xcode.ts';
import type { HostSpec } from './host-spec.ts';
import { wantedOrOff } from './wanted-or-off.ts';

/** What makes a host an image builder, the runner last: it takes jobs as soon as it runs. */
export function builderSteps({ fleet: { builder }, host }: HostSpec): PlannedStep[] {
  const { user, name, runnerToken: token } = host;
  return [
    ...wantedOrOff(homebrew, builder && { installer: builder.homebrewInstaller }),
    ...wantedOrOff(builderTools, builder && { formulae: builder.formulae }),
    ...wantedOrOff(xcode, builder?.xcode),
    ...wantedOrOff(buildCache, builder && { ...builder.buildCache, owner: user }),
    ...wantedOrOff(actionsRunner, builder && { ...builder.runner, name, token, user }),
  ];
}
