import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { bundleAt, complete, copyBundle, readConfig, writeConfig } from '../storage/bundle.ts';
import { listLocal, localBundle, openLocal } from '../storage/local-vms.ts';
import { makeTemporary } from '../storage/temporary.ts';
import { randomMac } from '../storage/vm-config.ts';
import { fileDoesNotExist, TartFailure } from '../tart-call.ts';
import { first, second, type TartCommand, VM_NAME } from './tart-command.ts';

/** A real `.tvm` is an Apple Archive; here it is a directory of the same files. */
export const exportVm: TartCommand = {
  shape: {
    name: 'export',
    about: 'Export VM to a compressed .tvm file',
    positional: [VM_NAME, { name: 'path', help: 'path to the destination file', optional: true }],
    options: [],
  },
  run(call, given) {
    const name = first(given);
    const source = openLocal(call, name);
    const path = second(given) || `${name}.tvm`;
    if (existsSync(path) && second(given) === '') {
      call.around.journal.unmodelled('tart', 'export: prompt before overwriting');
      throw new TartFailure(`file ${path} already exists`);
    }
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path, { recursive: true });
    call.out('exporting...');
    copyBundle(source, bundleAt(path), call.around.clock.now());
  },
};

export const importVm: TartCommand = {
  shape: {
    name: 'import',
    about: 'Import VM from a compressed .tvm file',
    positional: [{ name: 'path', help: 'path to a file created with "tart export"' }, VM_NAME],
    options: [],
  },
  run(call, given) {
    const archive = bundleAt(first(given));
    if (!complete(archive)) throw fileDoesNotExist(first(given));
    const temporary = makeTemporary(call);
    call.out('importing...');
    cpSync(archive.directory, temporary.bundle.directory, { recursive: true, verbatimSymlinks: true });
    const config = readConfig(temporary.bundle);
    const taken = listLocal(call).some(other => readConfig(other.bundle).macAddress === config.macAddress);
    if (taken) writeConfig(temporary.bundle, { ...config, macAddress: randomMac(call.around.chance) });
    const target = localBundle(call, second(given));
    rmSync(target.directory, { recursive: true, force: true });
    renameSync(temporary.bundle.directory, target.directory);
    temporary.release();
  },
};
