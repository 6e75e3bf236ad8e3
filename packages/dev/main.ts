import { main } from '@minifleet/cli/main';
import { devCommands } from './dev-commands.ts';
import { runningKubeconfig } from './up/running/running-file.ts';

await main({ extraCommands: devCommands, fallbackKubeconfig: runningKubeconfig });
