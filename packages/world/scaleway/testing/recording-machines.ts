import type { Server } from '../model/server.ts';
import type { Machines, ServerInstallation } from '../vendor/scaleway-vendor.ts';

interface RecordingMachines extends Machines {
  readonly told: string[];
  readonly installed: ServerInstallation[];
  /** Keys that came with a reboot. */
  readonly injected: string[];
}

/** Macs that only remember what they were told. */
export function recordingMachines(): RecordingMachines {
  const told: string[] = [];
  const installed: ServerInstallation[] = [];
  const injected: string[] = [];
  const install = (what: string) => (server: Server, installation: ServerInstallation) => {
    told.push(`${what} ${server.name}`);
    installed.push(installation);
  };
  return {
    told,
    installed,
    injected,
    deliver: install('deliver'),
    reinstall: install('reinstall'),
    powerDown: server => void told.push(`power down ${server.name}`),
    reboot(server, { sshKeys = [] }) {
      told.push(`reboot ${server.name}`);
      injected.push(...sshKeys);
    },
    remove: server => void told.push(`remove ${server.name}`),
  };
}
