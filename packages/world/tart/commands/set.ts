import { copyFileSync } from 'node:fs';
import { flag, option, type TartArguments } from '../command-line/parse-arguments.ts';
import { GB } from '../host/host-file.ts';
import { type Bundle, readConfig, readFacts, writeConfig, writeFacts } from '../storage/bundle.ts';
import { openLocal } from '../storage/local-vms.ts';
import { randomEcid, randomMac, type VmConfig } from '../storage/vm-config.ts';
import { TartFailure, TartUsageFailure } from '../tart-call.ts';
import { first, type TartCommand, VM_NAME } from './tart-command.ts';

/** Rewrites config.json in place, whether the VM runs or not. */
export const set: TartCommand = {
  shape: {
    name: 'set',
    about: "Modify VM's configuration",
    positional: [VM_NAME],
    options: [
      option('cpu', { integer: true }),
      option('memory', { integer: true }),
      option('display'),
      flag('display-refit'),
      flag('no-display-refit'),
      flag('random-mac'),
      flag('random-serial'),
      option('disk'),
      option('disk-size', { integer: true }),
    ],
  },
  run(call, given) {
    const bundle = openLocal(call, first(given));
    const { chance, clock } = call.around;
    const { displayRefit: _, ...config } = readConfig(bundle);
    const changed: VmConfig = {
      ...config,
      ...sizes(config, given),
      ...display(given.text('display')),
      // An omitted option resets the setting (facts 10.5).
      ...refit(given),
      ...(given.has('random-mac') ? { macAddress: randomMac(chance) } : {}),
      ...(given.has('random-serial') && config.os === 'darwin' ? { ecid: randomEcid(chance) } : {}),
    };
    writeConfig(bundle, changed);
    const disk = given.text('disk');
    if (disk !== undefined) copyFileSync(disk, bundle.disk);
    const gigabytes = given.integer('disk-size');
    if (gigabytes !== undefined) growDisk(bundle, gigabytes, clock.now());
  },
};

function sizes(config: VmConfig, given: TartArguments): Partial<VmConfig> {
  const cpuCount = given.integer('cpu') ?? config.cpuCount;
  const memorySize = (given.integer('memory') ?? config.memorySize / 1024 ** 2) * 1024 ** 2;
  if (config.os === 'darwin' && cpuCount < config.cpuCountMin) {
    throw new TartFailure(`VM should have ${config.cpuCountMin} CPU cores at minimum (requested ${cpuCount})`);
  }
  if (config.os === 'darwin' && memorySize < config.memorySizeMin) {
    throw new TartFailure(
      `VM should have ${config.memorySizeMin} bytes of memory at minimum (requested ${memorySize})`,
    );
  }
  return { cpuCount, memorySize };
}

function display(text: string | undefined): Partial<VmConfig> {
  if (text === undefined) return {};
  const [, width, height, unit] = /^(\d+)x(\d+)(pt|px)?$/.exec(text) ?? [];
  if (width === undefined || height === undefined) {
    throw new TartUsageFailure(`The value '${text}' is invalid for '--display <display>'`);
  }
  const known = unit === 'pt' || unit === 'px' ? ({ unit } as const) : {};
  return { display: { width: Number(width), height: Number(height), ...known } };
}

function refit(given: TartArguments): Partial<VmConfig> {
  if (given.has('display-refit')) return { displayRefit: true };
  return given.has('no-display-refit') ? { displayRefit: false } : {};
}

function growDisk(bundle: Bundle, gigabytes: number, now: number): void {
  const facts = readFacts(bundle);
  const bytes = gigabytes * GB;
  if (bytes < facts.diskBytes) {
    throw new TartFailure(
      `new disk size of ${bytes} bytes should be larger than the current disk size of ${facts.diskBytes} bytes`,
    );
  }
  writeFacts(bundle, { ...facts, diskBytes: bytes }, now);
}
