import { systemClock } from '@minifleet/clock';
import { apiServerContract } from './contract.ts';
import { createMemoryApi } from './memory-api.ts';

apiServerContract('in memory', async () => {
  const { client } = createMemoryApi({ clock: systemClock });
  return { client, close: () => client.close() };
});
