# The images of the fleets, baked on a builder host: `host/bake.sh runner …` and `host/bake.sh xcresult-processor …`.
packer {
  required_version = ">= 1.11.0, < 2.0.0"
  required_plugins {
    tart = {
      source = "github.com/cirruslabs/tart"
      # Exact version: the plugin connects to the guest, and a Local Network permission is valid for one signature (I26).
      version = "= 1.21.0"
    }
  }
}

variable "base_image" {
  type        = string
  description = "Base image by digest, because a tag can change."
  validation {
    condition     = can(regex("^[^@]+@sha256:[0-9a-f]{64}$", var.base_image))
    error_message = "The base image must have a digest, for example ghcr.io/acme/macos-tahoe-xcode@sha256:<64 hex digits>."
  }
}

variable "vm_name" {
  type        = string
  description = "Name of the baked VM. The prefix allows host/reclaim-disk.sh to remove it."
  validation {
    condition     = can(regex("^minifleet-bake-[a-z0-9][a-z0-9-]*$", var.vm_name))
    error_message = "The name of the VM must be minifleet-bake-<letters, digits and hyphens>."
  }
}

variable "actions_runner" {
  type = object({ version = string, sha256 = string })
}

variable "guest_agent" {
  type = object({ version = string, sha256 = string })
}

variable "xcode_versions" {
  type        = list(string)
  description = "Xcode versions in the base image, as /Applications/Xcode_<version>.app. The first is selected."
  default     = []
}

variable "processor_archive" {
  type        = string
  description = "Release of the xcresult processor on the builder: a tar.gz with an executable bin/start."
  default     = ""
}

variable "processor_sha256" {
  type    = string
  default = ""
}

# Account of the base image: for Packer's SSH login, the GUI session, and jobs.
variable "account" {
  type    = string
  default = "admin"
}

# Published with the base image and not a secret: a guest is reachable only from its own host.
variable "password" {
  type    = string
  default = "admin"
}

# 0: the size of the base image.
variable "disk_size_gb" {
  type    = number
  default = 0
}

source "tart-cli" "macos" {
  vm_base_name = var.base_image
  vm_name      = var.vm_name
  headless     = true
  disk_size_gb = var.disk_size_gb
  # Only for the bake: the node agent sets both from the Pod's requests. A builder has 16 GB.
  cpu_count    = 4
  memory_gb    = 8
  ssh_username = var.account
  ssh_password = var.password
  # The first boot of a cold clone took more than ten minutes; a normal boot takes twenty seconds.
  ssh_timeout = "15m"
}

locals {
  # Variables are passed with env, because sudo drops unknown ones.
  as_root = "echo '${var.password}' | sudo -S -p '' env {{ .Vars }} /bin/sh '{{ .Path }}'"
}

build {
  name = "macos"

  source "source.tart-cli.macos" {
    name = "runner"
  }
  source "source.tart-cli.macos" {
    name = "xcresult-processor"
  }

  # Files that the scripts below call.
  provisioner "file" {
    sources     = ["${path.root}/guest/fetch-verified.sh", "${path.root}/guest/kcpassword.sh"]
    destination = "/tmp/"
  }

  provisioner "shell" {
    execute_command = local.as_root
    environment_vars = [
      "ACCOUNT=${var.account}",
      "PASSWORD=${var.password}",
      "GUEST_AGENT_VERSION=${var.guest_agent.version}",
      "GUEST_AGENT_SHA256=${var.guest_agent.sha256}",
      "XCODE_VERSIONS=${join(" ", var.xcode_versions)}",
    ]
    scripts = [
      "${path.root}/guest/passwordless-sudo.sh",
      "${path.root}/guest/auto-login.sh",
      "${path.root}/../packages/host/scripts/never-sleep.sh",
      "${path.root}/guest/network-time.sh",
      "${path.root}/guest/no-updates.sh",
      "${path.root}/guest/guest-agent.sh",
      "${path.root}/guest/xcode.sh",
    ]
  }

  provisioner "shell" {
    only = ["tart-cli.runner"]
    environment_vars = [
      "RUNNER_VERSION=${var.actions_runner.version}",
      "RUNNER_SHA256=${var.actions_runner.sha256}",
    ]
    script = "${path.root}/guest/actions-runner.sh"
  }

  provisioner "file" {
    only = ["tart-cli.xcresult-processor"]
    # Packer treats an empty path as a file that is created later.
    source      = var.processor_archive == "" ? "no release of the processor was given" : var.processor_archive
    destination = "/tmp/xcresult-processor.tar.gz"
  }

  provisioner "shell" {
    only             = ["tart-cli.xcresult-processor"]
    execute_command  = local.as_root
    environment_vars = ["ACCOUNT=${var.account}", "PROCESSOR_SHA256=${var.processor_sha256}"]
    script           = "${path.root}/guest/xcresult-processor.sh"
  }

  # Last, and as the account: checks everything that a Pod relies on before the image is published.
  provisioner "shell" {
    environment_vars = ["ACCOUNT=${var.account}", "IMAGE=${source.name}"]
    script           = "${path.root}/guest/check-image.sh"
  }
}
