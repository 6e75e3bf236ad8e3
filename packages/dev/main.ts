import { main } from '@minifleet/cli/main';
import { devCommands } from './dev-commands.ts';
import { runningKubeconfig } from './running/up-state.ts';

await main({ extraCommands: devCommands, fallbackKubeconfig: runningKubeconfig });
