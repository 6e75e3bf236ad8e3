import type { Clock } from '@minifleet/clock';
import type { JsonObject } from '../http/api-error.ts';
import type { Organization } from '../model/account.ts';
import type { Server } from '../model/server.ts';
import type { Vendor } from '../vendor/vendor.ts';
import { serverJson } from './server-json.ts';

export const ZONE = '/apple-silicon/v1alpha1/zones/:zone';
export const SERVER = `${ZONE}/servers/:id`;

/** What the routes of servers work on. */
export interface ServerApi {
  readonly vendor: Vendor;
  readonly organization: Organization;
  readonly clock: Clock;
}

export const showServer = (api: ServerApi, server: Server): JsonObject => shown(api, server, false);

/** Answers to writes never show a password: the client has to ask again. */
export const showSealed = (api: ServerApi, server: Server): JsonObject => shown(api, server, true);

const shown = ({ vendor, clock }: ServerApi, server: Server, sealAll: boolean): JsonObject =>
  serverJson(server, { sealAll, now: clock.now(), passwordVisible: vendor.settings.passwordVisible });
