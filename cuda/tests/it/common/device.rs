//! A device of Vulkan that shares memory.

use ash::vk;
use wgpu::util::DeviceExt;

pub struct Device {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
}

impl Device {
    /// Opens a device that shares memory.
    pub fn open() -> Self {
        Self::open_with(raytwin_cuda::features())
    }

    pub fn open_with(features: wgpu::Features) -> Self {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = wgpu::Backends::VULKAN;
        let instance = wgpu::Instance::new(descriptor);
        let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
        let adapter = adapters
            .into_iter()
            .find(|adapter| adapter.features().contains(raytwin_cuda::features()))
            .expect(
                "no driver of Vulkan here has VK_KHR_external_memory_fd, so nothing was tested",
            );
        let descriptor = wgpu::DeviceDescriptor {
            required_features: features,
            required_limits: adapter.limits(),
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
        Self { device, queue }
    }

    /// Asks Vulkan for the identity of the card.
    pub fn uuid(&self) -> [u8; 16] {
        let mut identity = vk::PhysicalDeviceIDProperties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut identity);
        // SAFETY: the device lives, and its driver knows the function.
        unsafe {
            let hal = self.device.as_hal::<wgpu::hal::api::Vulkan>().unwrap();
            let instance = hal.shared_instance().raw_instance();
            instance.get_physical_device_properties2(hal.raw_physical_device(), &mut properties);
        }
        identity.device_uuid
    }

    pub fn wait(&self) {
        self.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    }

    /// Writes to the begin of a buffer, and waits.
    pub fn write(&self, buffer: &wgpu::Buffer, bytes: &[u8]) {
        self.queue.write_buffer(buffer, 0, bytes);
        self.queue.submit([]);
        self.wait();
    }

    /// Doubles each number of a buffer by a shader, and waits.
    pub fn double(&self, buffer: &wgpu::Buffer) {
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(
                "@group(0) @binding(0) var<storage, read_write> numbers: array<f32>;
                @compute @workgroup_size(64)
                fn double(@builtin(global_invocation_id) id: vec3u) {
                    if id.x < arrayLength(&numbers) {
                        numbers[id.x] = 2 * numbers[id.x];
                    }
                }"
                .into(),
            ),
        });
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: None,
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let bindings = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: buffer.as_entire_binding() }],
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &bindings, &[]);
            pass.dispatch_workgroups((buffer.size() / 4).div_ceil(64) as u32, 1, 1);
        }
        self.queue.submit([encoder.finish()]);
        self.wait();
    }

    /// Reads a buffer by Vulkan.
    pub fn read(&self, buffer: &wgpu::Buffer) -> Vec<f32> {
        let host = self.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: None,
            contents: &vec![0; buffer.size() as usize],
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(buffer, 0, &host, 0, buffer.size());
        self.queue.submit([encoder.finish()]);
        host.map_async(wgpu::MapMode::Read, .., |mapped| mapped.unwrap());
        self.wait();
        bytemuck::pod_collect_to_vec(&host.get_mapped_range(..).unwrap())
    }
}
