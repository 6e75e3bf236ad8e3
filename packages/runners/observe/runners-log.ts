import { type Log, logSettings, type ProgramLogOptions } from '@minifleet/kube';
import { pino } from 'pino';

export const openRunnersLog = (options: ProgramLogOptions): Log => pino(...logSettings(options));
