# Copy this file to recipes-multimedia/receiverd/ of a layer, and the archive that `npm run firmware` makes to files/ beside
# it. docs/firmware.md explains both.
SUMMARY = "Digital-TV receiver as an HTTP service"
DESCRIPTION = "Services, programme guide, streams, timers, recordings and timeshift over the Enigma2 / OpenWebif interface"
SECTION = "multimedia"
LICENSE = "MIT"
LIC_FILES_CHKSUM = "file://LICENSE;md5=45683f876f952c93c7a68c59cda8a0c6"

SRC_URI = "file://receiverd-${PV}-firmware.tar.gz"
S = "${WORKDIR}/receiverd-${PV}"

inherit cmake systemd useradd

PACKAGECONFIG ??= "demo ui"
PACKAGECONFIG[demo] = "-DRECEIVERD_DEMO=ON,-DRECEIVERD_DEMO=OFF"
PACKAGECONFIG[ui] = "-DRECEIVERD_UI=ON,-DRECEIVERD_UI=OFF"

# Node.js 20.19 or newer.
RDEPENDS:${PN} = "nodejs"

SYSTEMD_SERVICE:${PN} = "receiverd.service"
CONFFILES:${PN} = "${sysconfdir}/receiverd/receiverd.yaml"
USERADD_PACKAGES = "${PN}"
USERADD_PARAM:${PN} = "--system --user-group --groups video,audio --home-dir ${localstatedir}/lib/receiverd --no-create-home receiverd"

do_install:append() {
    install -d ${D}${systemd_system_unitdir}
    sed 's,/usr/lib/receiverd/,${libdir}/receiverd/,' ${S}/packaging/receiverd.service > ${D}${systemd_system_unitdir}/receiverd.service
    install -D -m 0644 ${S}/packaging/debian/receiverd.yaml ${D}${sysconfdir}/receiverd/receiverd.yaml
}

FILES:${PN} += "${libdir}/receiverd"
# The linker strips the addon.
INSANE_SKIP:${PN} += "already-stripped"
