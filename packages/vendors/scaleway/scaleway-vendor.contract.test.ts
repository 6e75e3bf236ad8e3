import { testVendor } from '../testing/vendor.contract.ts';
import { startScalewayBench } from './testing/scaleway-bench.ts';

const calls = ['servers', 'server', 'rename', 'reinstall', 'reboot', 'images', 'registerKey'] as const;

for (const unknownServer of ['forbidden', 'not found'] as const) {
  testVendor({
    name: `Scaleway, where a server that is gone is ${unknownServer}`,
    can: { reinstall: true, reboot: true },
    sends: calls,
    open: () => startScalewayBench({ settings: { unknownServer } }),
  });
}
