import { chooseImage, type ScalewayAppleSiliconMachine } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import { findCondition } from '@minifleet/kube';
import type { Image } from '@minifleet/vendors';
import { noted, passed, phase } from '../phase.ts';

const ASK_AGAIN = minutes(5);

/** Whether the vendor still offers what spec.os asks for (I31). It is said, and nothing waits for it: the host runs what it runs. */
export const osImageCurrent = phase('OSImageCurrent', async ({ samm, found }, { vendors }) => {
  const { server } = found;
  if (!server) throw new Error('OSImageCurrent runs after HostClaimed');
  if (isAnswered(samm)) return passed('ImageOffered', findCondition(samm, 'OSImageCurrent')?.message);
  const vendor = await vendors.for(server.zone);
  if (!vendor.can.reinstall) return passed('ImageOffered', `${vendor.name} cannot install images; ${running(server)}`);
  const catalogue = await vendor.images(server.zone, server.type).catch(unread);
  if ('unread' in catalogue) return noted('CatalogueUnavailable', catalogue.unread, ASK_AGAIN);
  const { image, fellBackToFamily, sentence } = chooseImage(samm.spec.os, catalogue);
  if (!image) return noted('FamilyNotOffered', sentence);
  if (fellBackToFamily) return noted('ImageRetired', sentence);
  return passed('ImageOffered', `${sentence}; ${running(server)}`);
});

/** The catalogue is not asked again for a spec it has answered for with yes: images are retired in months, passes come in minutes. */
function isAnswered(samm: ScalewayAppleSiliconMachine): boolean {
  const condition = findCondition(samm, 'OSImageCurrent');
  return condition?.status === 'True' && condition.observedGeneration === samm.metadata.generation;
}

const running = ({ image }: { readonly image: Image }): string => `the host runs ${image.name}`;

function unread(error: unknown): { readonly unread: string } {
  if (error instanceof CataloguedError) return { unread: error.message };
  throw error;
}
