import type { Server } from '../model/server.ts';
import type { Machines, ServerInstallation } from '../vendor/scaleway-vendor.ts';

interface RecordingMachines extends Machines {
  readonly calls: string[];
  readonly installed: ServerInstallation[];
  /** Keys passed with a reboot. */
  readonly injected: string[];
}

/** Creates Macs that only record the calls of the vendor. */
export function recordingMachines(): RecordingMachines {
  const calls: string[] = [];
  const installed: ServerInstallation[] = [];
  const injected: string[] = [];
  const install = (what: string) => (server: Server, installation: ServerInstallation) => {
    calls.push(`${what} ${server.name}`);
    installed.push(installation);
  };
  return {
    calls,
    installed,
    injected,
    deliver: install('deliver'),
    reinstall: install('reinstall'),
    powerDown: server => void calls.push(`power down ${server.name}`),
    reboot(server, { sshKeys = [] }) {
      calls.push(`reboot ${server.name}`);
      injected.push(...sshKeys);
    },
    remove: server => void calls.push(`remove ${server.name}`),
  };
}
