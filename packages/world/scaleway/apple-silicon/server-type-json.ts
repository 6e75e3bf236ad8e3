import type { JsonObject } from '../http/api-error.ts';
import type { OperatingSystem } from '../model/operating-system.ts';
import { type ServerType, stockOf } from '../model/server-type.ts';
import { osJson } from './os-json.ts';

export const serverTypeJson = (type: ServerType, defaultOs: OperatingSystem | undefined): JsonObject => ({
  cpu: {
    core_count: type.cpu.cores,
    frequency: type.cpu.frequency,
    name: type.cpu.name,
    sockets: 1,
    threads_per_core: 1,
  },
  default_os: defaultOs ? osJson(defaultOs) : null,
  disk: { capacity: type.diskBytes, type: 'SSD' },
  gpu: { count: type.gpus },
  memory: { capacity: type.memory.bytes, type: type.memory.type },
  minimum_lease_duration: '86400s',
  name: type.name,
  network: {
    default_public_bandwidth: type.bandwidths[0] ?? 0,
    public_bandwidth_bps: type.bandwidths.at(-1) ?? 0,
    supported_bandwidth: [...type.bandwidths],
  },
  npu: { count: 16 },
  stock: stockOf(type),
});
