import { type Log, logSettings, type ProgramLogOptions } from '@minifleet/kube';
import { pino } from 'pino';

export const openProviderLog = (options: ProgramLogOptions): Log => pino(...logSettings(options));
