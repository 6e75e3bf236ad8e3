import type { Catalogue, OperatingSystem, ServerType } from './catalogue.ts';

const ALL = ['M1-M', 'M2-M', 'M2-L', 'M4-S', 'M4-SP', 'M4-M', 'M4-XL'];
const GIGABIT = 1_000_000_000;
const GIGABYTE = 1_000_000_000;

interface ImageFacts {
  readonly id: string;
  readonly family: string;
  /** Version in the name. The version field can be more precise (`macos-sequoia-15.6` is 15.6.1). */
  readonly short: string;
  readonly version?: string;
  readonly xcode: string;
  readonly serverTypes?: readonly string[];
}

const macos = (facts: ImageFacts): OperatingSystem => ({
  id: facts.id,
  name: `macos-${facts.family.toLowerCase()}-${facts.short}`,
  label: `macOS ${facts.family} ${facts.short}`,
  family: facts.family,
  version: facts.version ?? facts.short,
  xcodeVersion: facts.xcode,
  beta: false,
  tags: ['macos', 'apple', 'apple-license'],
  serverTypes: facts.serverTypes ?? ALL,
});

/** Ids, names and versions as the real API listed them in 2026 (recorded). 26.3 is the image of the incident (S3, facts §5). */
const images: readonly OperatingSystem[] = [
  macos({ id: 'ccbb804d-8d29-49c5-96d5-d4e28effc390', family: 'Sonoma', short: '14.6', xcode: '15' }),
  macos({
    id: '61b842ab-b655-4d3c-a065-f7db5e9fb971',
    family: 'Sequoia',
    short: '15.6',
    version: '15.6.1',
    xcode: '16',
  }),
  macos({ id: '78b5dee3-3327-4329-b987-b6df82650ca6', family: 'Tahoe', short: '26.0', xcode: '26' }),
  macos({ id: '263b0e1c-2603-4a4b-9c63-26a3000026a3', family: 'Tahoe', short: '26.3', xcode: '26' }),
  macos({ id: '8c51501f-239b-4ed4-8cad-78816e11b970', family: 'Tahoe', short: '26.6.1', xcode: '26' }),
  {
    id: 'cafecafe-5018-4dcd-bd08-35f031b0ac3e',
    name: 'devos-sequoia-15.6',
    label: 'DevOS Sequoia 15.6',
    family: 'DevOS',
    version: '15.6.1',
    xcodeVersion: '16',
    beta: false,
    tags: ['macos', 'apple', 'apple-license', 'runner', 'github'],
    serverTypes: ['M2-L'],
  },
];

interface TypeFacts {
  readonly name: string;
  readonly cpu: string;
  readonly cores: number;
  readonly gigahertz: number;
  readonly disk: number;
  readonly memory: number;
  readonly memoryType: string;
  readonly gpus: number;
  readonly price: number;
  readonly fast?: boolean;
}

const mini = (facts: TypeFacts): ServerType => ({
  name: facts.name,
  cpu: { name: facts.cpu, cores: facts.cores, frequency: facts.gigahertz * 1_000_000_000 },
  diskBytes: facts.disk * GIGABYTE,
  memory: { bytes: facts.memory * GIGABYTE, type: facts.memoryType },
  gpus: facts.gpus,
  bandwidths: facts.fast ? Array.from({ length: 10 }, (_, index) => (index + 1) * GIGABIT) : [GIGABIT],
  defaultImage: 'macos-tahoe-26.6.1',
  units: 50,
  hourlyPrice: facts.price,
});

/** Hardware and prices as recorded on 2026-09-24, when every macOS type was out of stock. The simulated vendor has stock. */
const serverTypes: readonly ServerType[] = [
  mini({
    name: 'M1-M',
    cpu: 'Apple M1',
    cores: 8,
    gigahertz: 3.2,
    disk: 256,
    memory: 8,
    memoryType: 'LPDDR4',
    gpus: 8,
    price: 0.11,
  }),
  mini({
    name: 'M2-M',
    cpu: 'Apple M2',
    cores: 8,
    gigahertz: 3.5,
    disk: 256,
    memory: 16,
    memoryType: 'LPDDR5',
    gpus: 10,
    price: 0.17,
  }),
  mini({
    name: 'M2-L',
    cpu: 'Apple M2 Pro',
    cores: 10,
    gigahertz: 3.5,
    disk: 512,
    memory: 16,
    memoryType: 'LPDDR5',
    gpus: 16,
    price: 0.21,
  }),
  mini({
    name: 'M4-S',
    cpu: 'Apple M4',
    cores: 10,
    gigahertz: 4.4,
    disk: 256,
    memory: 16,
    memoryType: 'LPDDR5X',
    gpus: 10,
    price: 0.22,
  }),
  mini({
    name: 'M4-SP',
    cpu: 'Apple M4',
    cores: 10,
    gigahertz: 4.4,
    disk: 512,
    memory: 16,
    memoryType: 'LPDDR5X',
    gpus: 10,
    price: 0.24,
  }),
  mini({
    name: 'M4-M',
    cpu: 'Apple M4',
    cores: 10,
    gigahertz: 4.4,
    disk: 1024,
    memory: 32,
    memoryType: 'LPDDR5X',
    gpus: 10,
    price: 0.29,
    fast: true,
  }),
  mini({
    name: 'M4-XL',
    cpu: 'Apple M4 Pro',
    cores: 14,
    gigahertz: 4.5,
    disk: 2048,
    memory: 64,
    memoryType: 'LPDDR5X',
    gpus: 20,
    price: 0.49,
    fast: true,
  }),
];

export const defaultCatalogue: Catalogue = { images, serverTypes };
