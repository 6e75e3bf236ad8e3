/**
 * Privacy services that concern files and that a profile can grant (Apple's schema of com.apple.TCC.configuration-profile-policy).
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

/** Where a bake's images and caches may lie beside the disk of the Mac: a prompt there holds it up as silently. */
export const DEFAULT_SERVICES: readonly string[] = ['SystemPolicyNetworkVolumes', 'SystemPolicyRemovableVolumes'];
