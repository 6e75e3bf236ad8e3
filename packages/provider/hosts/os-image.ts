import { chooseImage, hostReasons } from '@minifleet/api';
import type { Clock, Duration } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import { type ConditionNote, setCondition } from '@minifleet/kube';
import type { Image, Server, Vendor } from '@minifleet/vendors';
import type { HandlerDeps, HostScope } from './host-scope.ts';

/** Reports whether the vendor still offers the image that the machine requests (I31). Nothing waits for it. */
export async function noteOSImage({ host, server, vendor }: HostScope, { clock, images }: HandlerDeps): Promise<void> {
  const { desired } = host.spec;
  if (!desired || !server) return;
  const note = !vendor
    ? offered(`an owned Mac keeps its macOS; ${running(server)}`)
    : vendor.can.reinstall
      ? await judgeImage(desired.os, server, () => images(vendor, server))
      : offered(`the vendor cannot install images; ${running(server)}`);
  setCondition(host, { type: 'OSImageCurrent', ...note }, clock);
}

type OSImageNote = Omit<ConditionNote, 'type'>;

async function judgeImage(
  os: string | undefined,
  server: Server,
  read: () => Promise<readonly Image[]>,
): Promise<OSImageNote> {
  const no = (reason: string, message: string): OSImageNote => ({ status: 'False', reason, message });
  try {
    const { image, fellBackToFamily, sentence } = chooseImage(os ?? server.image.name, await read());
    if (!image) return no(hostReasons.FamilyNotOffered, sentence);
    return fellBackToFamily ? no(hostReasons.ImageRetired, sentence) : offered(`${sentence}; ${running(server)}`);
  } catch (error) {
    if (error instanceof CataloguedError) return no(hostReasons.CatalogueUnavailable, error.message);
    throw error;
  }
}

const offered = (message: string): OSImageNote => ({ status: 'True', reason: hostReasons.ImageOffered, message });
const running = ({ image }: Server): string => `the host runs ${image.name || 'an unknown version'}`;

/** Images that a vendor offers for each zone and type. Hosts of a fleet share one request until `maxAge`. */
export function createImageCatalogue(clock: Clock, maxAge: Duration): HandlerDeps['images'] {
  const known = new Map<string, { readonly at: number; readonly images: Promise<readonly Image[]> }>();
  return (vendor: Vendor, { zone, type }: Server) => {
    const key = `${zone}/${type}`;
    const last = known.get(key);
    if (last && clock.now() - last.at < maxAge) return last.images;
    const images = vendor.images(zone, type);
    known.set(key, { at: clock.now(), images });
    return images;
  };
}
