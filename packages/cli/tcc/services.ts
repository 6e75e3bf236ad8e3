/**
 * Privacy services for files that a profile can grant (Apple's schema of com.apple.TCC.configuration-profile-policy).
 * There is none for Local Network.
 */
export const SERVICES: readonly string[] = [
  'SystemPolicyAllFiles',
  'SystemPolicyAppBundles',
  'SystemPolicyDesktopFolder',
  'SystemPolicyDocumentsFolder',
  'SystemPolicyDownloadsFolder',
  'SystemPolicyNetworkVolumes',
  'SystemPolicyRemovableVolumes',
  'SystemPolicySysAdminFiles',
];

/** Volumes that may hold the images and caches of a bake besides the internal disk. A prompt there blocks the bake silently. */
export const DEFAULT_SERVICES: readonly string[] = ['SystemPolicyNetworkVolumes', 'SystemPolicyRemovableVolumes'];
