import { RUNNER_VERSION } from '../mac/builder/runner-archive.ts';
import type { SeedImageOptions } from '../registry/seed-image.ts';

/** For `registry.seedImage`: an image whose guests have the Actions runner in `$HOME/actions-runner`. */
export const runnerImage = (version = RUNNER_VERSION): Pick<SeedImageOptions, 'software'> => ({
  software: [`actions-runner/${version}`],
});
