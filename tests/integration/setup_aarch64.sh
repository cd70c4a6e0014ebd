#!/bin/sh
# An AArch64 machine by emulation, on Debian 12: sh tests/integration/setup_aarch64.sh DIR
# apt-get install qemu-system-arm e2fsprogs cpio kmod python3-pip; about 2 GB in DIR, and no package of another machine
# outside of it.
# It has Debian's own kernel, so that filters, namespaces and limits are a kernel's and not the emulator's.
# Afterwards, as root of that machine and with this checkout (what git knows of it) as the folder:
#   sh DIR/run python3 -m pytest -n 0 -p no:cacheprovider tests/sandbox/test_compiled_loop.py
#   sh DIR/run python3 -m tests.attacks
set -eu
[ $# -eq 1 ] || { echo "usage: sh tests/integration/setup_aarch64.sh DIR" >&2; exit 2; }
checkout=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
mkdir -p "$1"
here=$(CDPATH='' cd -- "$1" && pwd)

# Packages, by an apt that knows AArch64 alone and keeps its lists here.
mkdir -p "$here/apt/lists/partial" "$here/apt/cache/archives/partial"
: >"$here/apt/status"
apt() {
    apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root \
        -o Dir::State::lists="$here/apt/lists" -o Dir::State::status="$here/apt/status" \
        -o Dir::Cache="$here/apt/cache" -o Dir::Etc::sourceparts=- -o Dir::Etc::sourcelist="$here/apt/sources" \
        -o Acquire::Languages=none -o Debug::NoLocking=true "$@"
}
mirror=${MIRROR:-http://deb.debian.org/debian}
signed='[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]'
echo "deb $signed $mirror bookworm main" >"$here/apt/sources"
apt update
apt --download-only -y --no-install-recommends install \
    base-files base-passwd bash coreutils util-linux mount procps iproute2 busybox-static bubblewrap python3 python3.11 \
    libpython3-stdlib git linux-image-cloud-arm64 kmod

# The disk: what they hold, unpacked, without the scripts that an installation would run.
root=$here/root
rm -rf "$root"
mkdir -p "$root/usr/bin" "$root/usr/sbin" "$root/usr/lib"
for folder in bin sbin lib; do ln -s "usr/$folder" "$root/$folder"; done
for package in "$here"/apt/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -C "$root" --keep-directory-symlink -xf -
done
for folder in proc sys dev tmp run mnt media srv opt home root checkout; do mkdir -p "$root/$folder"; done
ln -sf bash "$root/usr/bin/sh"
cp "$root/usr/share/base-passwd/passwd.master" "$root/etc/passwd"
cp "$root/usr/share/base-passwd/group.master" "$root/etc/group"
python3 -m pip --disable-pip-version-check install --quiet --target "$root/usr/lib/python3/dist-packages" \
    --platform manylinux2014_aarch64 --platform manylinux_2_28_aarch64 --implementation cp --python-version 3.11 \
    --only-binary=:all: 'click>=8.1.8' 'httpx>=0.28' 'jinja2>=3.1.5' 'msgspec>=0.19' 'rich>=13.9' \
    'pytest>=8.3' 'pytest-timeout>=2.4' 'pytest-xdist>=3.6' 'hypothesis>=6.130' 'numpy>=1.26'
# Bytecode is made here, where it takes less time; any Python 3.11 makes the same.
compile="python3.11 -m compileall -q --invalidation-mode unchecked-hash"
$compile -s "$root" "$root/usr/lib/python3.11" "$root/usr/lib/python3" >/dev/null || true
cat >"$root/start" <<'END'
#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 PYTHONPATH=src:.:tests
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tmpfs -o mode=1777 tmp /tmp
mkdir /dev/shm
mount -t tmpfs -o mode=1777 shm /dev/shm
mount -t cgroup2 cgroup /sys/fs/cgroup
ip link set lo up
tar -xf /dev/vdb -C /checkout
cd /checkout
sh ./in-the-machine
echo "exit status $?"
sync
echo o >/proc/sysrq-trigger
sleep 60
END
chmod 755 "$root/start"
rm -f "$here/disk"
mke2fs -q -t ext4 -E root_owner=0:0 -d "$root" "$here/disk" 3G

# The first file system in memory: what is needed to mount that disk.
kernel=$(basename "$root"/boot/vmlinuz-*)
modules=$root/lib/modules/${kernel#vmlinuz-}
depmod -b "$root" "${kernel#vmlinuz-}"
cp "$root/boot/$kernel" "$here/kernel"
first=$here/first
rm -rf "$first"
mkdir -p "$first/bin" "$first/proc" "$first/dev" "$first/root" "$first/modules"
cp "$root/bin/busybox" "$first/bin/busybox"
number=0
for name in virtio_mmio virtio_pci virtio_blk ext4; do
    # Each with what it needs before it, in order; what the kernel has built in is not listed.
    line=$(grep "/$name\.ko[^:]*:" "$modules/modules.dep" || true)
    for path in $(echo "$line" | tr -d : | tr ' ' '\n' | tac); do
        number=$((number + 1))
        cp "$modules/$path" "$first/modules/$(printf %03d $number)-$(basename "$path")"
    done
done
cat >"$first/init" <<'END'
#!/bin/busybox sh
busybox mount -t proc proc /proc
busybox mount -t devtmpfs dev /dev
for module in /modules/*; do busybox insmod "$module" 2>/dev/null; done
busybox mount -t ext4 /dev/vda /root || exec busybox sh
busybox mount --move /dev /root/dev
busybox umount /proc
exec busybox switch_root /root /start
END
chmod 755 "$first/init"
(cd "$first" && find . | cpio --quiet -o -H newc | gzip -1) >"$here/first.gz"

# Time there is a count of instructions, so that a limit means the same however busy this machine is.
cat >"$here/run" <<END
#!/bin/sh
set -eu
work=\$(mktemp -d)
trap 'rm -rf "\$work"' EXIT
mkdir "\$work/checkout"
(cd "$checkout" && git ls-files -z --cached --others --exclude-standard src tests benchmarks '*.toml' |
    tar --null -T - -cf -) | tar -C "\$work/checkout" -xf -
$compile -s "\$work/checkout" "\$work/checkout/src" "\$work/checkout/tests" >/dev/null || true
printf '%s\n' "\$*" >"\$work/checkout/in-the-machine"
tar -C "\$work/checkout" -cf "\$work/disk" .
qemu-system-aarch64 -M virt -cpu cortex-a57 -m 4096 -icount shift=0,sleep=off -nographic -nic none -no-reboot \\
    -kernel "$here/kernel" -initrd "$here/first.gz" -append 'console=ttyAMA0 quiet panic=-1' \\
    -drive file="$here/disk",format=raw,if=virtio,snapshot=on \\
    -drive file="\$work/disk",format=raw,if=virtio,readonly=on | tee "\$work/said"
grep -q '^exit status 0' "\$work/said"
END
echo "sh $here/run COMMAND"
